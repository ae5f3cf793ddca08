// Stone Game, the textbook program: the recursive interval rule with a square root in floating point.
#include <cmath>
#include <cstdio>

static int grundy(int s, int c) {
    if (c == 0 || s == 0) return 0;
    int q = (int)sqrt((double)s);
    while (q + (long long)q * q >= s) q--;
    if (c > q) return s - c;
    return grundy(q, c);
}

int main() {
    int n, s, c, cases = 0;
    while (scanf("%d", &n) == 1 && n) {
        int x = 0;
        for (int i = 0; i < n; i++) {
            scanf("%d %d", &s, &c);
            x ^= grundy(s, c);
        }
        printf("Case %d:\n%s\n", ++cases, x ? "Yes" : "No");
    }
}
