// Wythoff, the textbook program: the golden ratio in floating point.
#include <cmath>
#include <cstdio>
#include <utility>

int main() {
    int a, b;
    const double phi = (1 + sqrt(5.0)) / 2;
    while (scanf("%d %d", &a, &b) == 2) {
        if (a > b) std::swap(a, b);
        printf("%d\n", (int)((b - a) * phi) == a ? 0 : 1);
    }
}
