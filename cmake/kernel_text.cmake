# kernel_text.cmake -- embeds the tables and the kernel headers in libcuarray, where codegen reads them.

file(GLOB kernel_headers CONFIGURE_DEPENDS include/cuarray/kernel/*.h)
file(GLOB kernel_tables CONFIGURE_DEPENDS include/cuarray/*.def)
set(KERNEL_TEXT "${CMAKE_BINARY_DIR}/generated/kernel_text.cpp")

add_custom_command(
    OUTPUT "${KERNEL_TEXT}"
    COMMAND "${Python_EXECUTABLE}" "${CMAKE_SOURCE_DIR}/scripts/embed_kernels.py"
            "${CMAKE_SOURCE_DIR}/include/cuarray" "${KERNEL_TEXT}" ${kernel_tables} ${kernel_headers}
    DEPENDS scripts/embed_kernels.py ${kernel_tables} ${kernel_headers}
    COMMENT "Embedding the kernel text"
    VERBATIM)
