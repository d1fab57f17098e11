# python_headers.cmake -- copies the headers of pybind11, DLPack and NVTX out of their Python packages.
#
# pip builds in a temporary environment; the copies keep `cmake --build build` working after it is deleted. Copies of
# unchanged headers keep their time stamps, so nothing is recompiled.

function(find_python_headers result package code)
    execute_process(COMMAND "${Python_EXECUTABLE}" -c "${code}"
        OUTPUT_VARIABLE found ERROR_VARIABLE fault RESULT_VARIABLE status OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(status)
        message(FATAL_ERROR "cuarray: the Python package ${package} is needed to build: "
            "${Python_EXECUTABLE} -m pip install ${package}\n${fault}")
    endif()
    set(${result} "${found}" PARENT_SCOPE)
endfunction()

function(copy_headers from to)
    file(GLOB_RECURSE headers RELATIVE "${from}" "${from}/*.h")
    foreach(header ${headers})
        configure_file("${from}/${header}" "${to}/${header}" COPYONLY)
    endforeach()
endfunction()

# find_spec does not run the package: importing tvm_ffi would load its libraries.
find_python_headers(tvm_ffi_dir apache-tvm-ffi
    "import importlib.util as u; print(u.find_spec('tvm_ffi').submodule_search_locations[0])")
find_python_headers(pybind11_dir pybind11
    "import importlib.util as u; print(u.find_spec('pybind11').submodule_search_locations[0])")
# The folder name contains the CUDA version of the wheel.
find_python_headers(nvtx_dir nvidia-nvtx
    "import importlib.util as u, pathlib as p; s = u.find_spec('nvidia').submodule_search_locations
print(next(h for d in s for h in sorted(p.Path(d).glob('*/include/nvtx3'))))")

set(PYTHON_HEADERS "${CMAKE_BINARY_DIR}/headers")
copy_headers("${tvm_ffi_dir}/include/dlpack" "${PYTHON_HEADERS}/dlpack/dlpack")
copy_headers("${pybind11_dir}/include" "${PYTHON_HEADERS}/pybind11")
copy_headers("${nvtx_dir}" "${PYTHON_HEADERS}/nvtx/nvtx3")
set(DLPACK_INCLUDE_DIR "${PYTHON_HEADERS}/dlpack")
set(PYBIND11_INCLUDE_DIR "${PYTHON_HEADERS}/pybind11")
set(NVTX_INCLUDE_DIR "${PYTHON_HEADERS}/nvtx")
