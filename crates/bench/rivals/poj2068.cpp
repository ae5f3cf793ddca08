// Team Nim, the textbook program: a table over (stones, seat), filled from below.
#include <cstdio>
#include <cstring>

static bool win[20][8192];

int main() {
    int n, s, m[20];
    while (scanf("%d", &n) == 1 && n) {
        scanf("%d", &s);
        for (int i = 0; i < 2 * n; i++) scanf("%d", &m[i]);
        for (int i = 0; i < 2 * n; i++) win[i][0] = true;
        for (int j = 1; j <= s; j++)
            for (int i = 0; i < 2 * n; i++) {
                int next = (i + 1) % (2 * n);
                win[i][j] = false;
                for (int k = 1; k <= m[i] && k <= j; k++)
                    if (!win[next][j - k]) {
                        win[i][j] = true;
                        break;
                    }
            }
        printf("%d\n", win[0][s] ? 1 : 0);
    }
}
