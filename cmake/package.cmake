# package.cmake -- the importable folder, the CMake package for C++ users, and the contents of a wheel.

include(CMakePackageConfigHelpers)

# Symbolic links to the headers and, for another build folder, to the Python files: edits need no rebuild.
file(MAKE_DIRECTORY "${CUARRAY_PACKAGE_DIR}/cmake")
file(CREATE_LINK "${CMAKE_SOURCE_DIR}/include" "${CUARRAY_PACKAGE_DIR}/include" SYMBOLIC)
if(NOT CUARRAY_PACKAGE_DIR STREQUAL "${CMAKE_SOURCE_DIR}/cuarray")
    file(GLOB python_files RELATIVE "${CMAKE_SOURCE_DIR}/cuarray" CONFIGURE_DEPENDS
        cuarray/*.py cuarray/py.typed cuarray/*/__init__.py)
    # A subpackage is linked as a folder.
    list(TRANSFORM python_files REPLACE "/__init__.py$" "")
    foreach(name ${python_files})
        file(CREATE_LINK "${CMAKE_SOURCE_DIR}/cuarray/${name}" "${CUARRAY_PACKAGE_DIR}/${name}" SYMBOLIC)
    endforeach()
endif()

configure_file(cmake/cuarrayConfig.cmake.in "${CUARRAY_PACKAGE_DIR}/cmake/cuarrayConfig.cmake" @ONLY)
write_basic_package_version_file("${CUARRAY_PACKAGE_DIR}/cmake/cuarrayConfigVersion.cmake"
    COMPATIBILITY SameMinorVersion)

install(TARGETS cuarray ${host_targets} ${binding_targets} LIBRARY DESTINATION cuarray)
install(DIRECTORY include/ DESTINATION cuarray/include)
install(DIRECTORY "${CUARRAY_PACKAGE_DIR}/cmake/" DESTINATION cuarray/cmake)
