// Fibonacci Nim: n stones, at most m may be taken, then at most twice as many.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>
int main() {
    const int N = 500, M = 1000;
    static uint16_t g[N + 1][M + 1];
    std::vector<int> seen(4096, -1);
    int mark = 0;
    for (int n = 0; n <= N; n++)
        for (int m = 0; m <= M; m++) {
            mark++;
            for (int k = 1; k <= std::min(n, m); k++) seen[g[n - k][2 * k]] = mark;
            int v = 0;
            while (seen[v] == mark) v++;
            g[n][m] = v;
        }
    fwrite(g, 2, sizeof g / 2, stdout);
}
