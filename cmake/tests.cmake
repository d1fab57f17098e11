# tests.cmake -- builds each tests/FOLDER/test_NAME.cpp as a program in tests/FOLDER of the build folder; exit status 0
# means passed.

file(GLOB test_sources CONFIGURE_DEPENDS tests/*/test_*.cpp)
foreach(source ${test_sources})
    get_filename_component(name "${source}" NAME_WE)
    get_filename_component(folder "${source}" DIRECTORY)
    get_filename_component(folder "${folder}" NAME)
    set(target ${folder}_${name})
    add_executable(${target} "${source}")
    set_target_properties(${target} PROPERTIES
        OUTPUT_NAME ${name}
        RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests/${folder}"
        INSTALL_RPATH "${CUARRAY_PACKAGE_DIR}")
    target_include_directories(${target} PRIVATE src tests)
    target_link_libraries(${target} PRIVATE cuarray Threads::Threads ${CMAKE_DL_LIBS})
endforeach()
