# names.cmake -- generates the type stubs and docs/reference.md from the tables compiled into libcuarray.

add_executable(print_tables scripts/print_tables.cpp)
target_link_libraries(print_tables PRIVATE cuarray)
# libcuarray is in the package folder, this program in the build folder.
set_target_properties(print_tables PROPERTIES INSTALL_RPATH "${CUARRAY_PACKAGE_DIR}")

set(reference_folder "${CMAKE_BINARY_DIR}/docs")
if(CUARRAY_PACKAGE_DIR STREQUAL "${CMAKE_SOURCE_DIR}/cuarray")
    set(reference_folder "${CMAKE_SOURCE_DIR}/docs")
endif()
file(MAKE_DIRECTORY "${reference_folder}")

file(GLOB python_sources CONFIGURE_DEPENDS cuarray/*.py cuarray/_*/*.py cuarray/lib/*.py)
add_custom_command(
    OUTPUT "${CMAKE_BINARY_DIR}/generated/tables.json"
    COMMAND print_tables > "${CMAKE_BINARY_DIR}/generated/tables.json"
    COMMAND "${Python_EXECUTABLE}" "${CMAKE_SOURCE_DIR}/scripts/make_names.py"
            "${CMAKE_BINARY_DIR}/generated/tables.json" "${CMAKE_SOURCE_DIR}/cuarray" "${CUARRAY_PACKAGE_DIR}"
            "${reference_folder}/reference.md"
    DEPENDS print_tables scripts/make_names.py scripts/signatures.py scripts/core_stub.pyi scripts/overloads_stub.pyi scripts/random_stub.pyi ${python_sources}
    COMMENT "Writing the stubs and the reference"
    VERBATIM)
add_custom_target(names ALL DEPENDS "${CMAKE_BINARY_DIR}/generated/tables.json")

foreach(stub _core __init__ emath fft linalg random testing lib/stride_tricks)
    get_filename_component(folder "cuarray/${stub}" DIRECTORY)
    install(FILES "${CUARRAY_PACKAGE_DIR}/${stub}.pyi" DESTINATION "${folder}")
endforeach()
