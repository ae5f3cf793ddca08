// Georgia and Bob, the textbook program: sort, pair from the right, xor of the gaps.
#include <algorithm>
#include <cstdio>

int main() {
    int t, n, p[1001];
    scanf("%d", &t);
    while (t--) {
        scanf("%d", &n);
        for (int i = 0; i < n; i++) scanf("%d", &p[i]);
        std::sort(p, p + n);
        int x = 0;
        for (int i = n - 1; i >= 0; i -= 2) x ^= p[i] - (i > 0 ? p[i - 1] : 0) - 1;
        puts(x ? "Georgia will win" : "Bob will win");
    }
}
