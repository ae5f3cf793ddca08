// Card boxes, the textbook program: xor of the boxes that are 0, 2 or 5 modulo 6.
#include <cstdio>

int main() {
    int t, n, c;
    scanf("%d", &t);
    for (int cases = 1; cases <= t; cases++) {
        scanf("%d", &n);
        int x = 0;
        for (int i = 1; i <= n; i++) {
            scanf("%d", &c);
            if (i % 6 == 0 || i % 6 == 2 || i % 6 == 5) x ^= c;
        }
        printf("Case %d: %s\n", cases, x ? "Alice" : "Bob");
    }
}
