// Three heaps: any number from the third, and from either of the others while the two are even together.
#include <cstdint>
#include <cstdio>
#include <vector>
static uint16_t g[121][121][121];
int main() {
    const int N = 120;
    std::vector<int> seen(4096, -1);
    int now = 0;
    for (int a = 0; a <= N; a++)
        for (int b = 0; b <= N; b++)
            for (int c = 0; c <= N; c++) {
                now++;
                if ((a + b) % 2 == 0) {
                    for (int k = 1; k <= a; k++) seen[g[a - k][b][c]] = now;
                    for (int k = 1; k <= b; k++) seen[g[a][b - k][c]] = now;
                }
                for (int k = 1; k <= c; k++) seen[g[a][b][c - k]] = now;
                int v = 0;
                while (seen[v] == now) v++;
                g[a][b][c] = v;
            }
    fwrite(g, 2, 121 * 121 * 121, stdout);
}
