// native_level.cpp -- returns the x86-64 level of this processor, of those that get host loops: 2, 3 or 4.
int main() {
    __builtin_cpu_init();
    return __builtin_cpu_supports("x86-64-v4") ? 4 : __builtin_cpu_supports("x86-64-v3") ? 3 : 2;
}
