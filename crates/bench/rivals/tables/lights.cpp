// Lights on a grid: turn the four corners of a rectangle, the far one off. A sum of lights, one by one.
#include <cstdint>
#include <cstdio>
#include <vector>
int main() {
    const int N = 120;
    static uint16_t g[N + 1][N + 1];
    std::vector<int> seen(65536, -1);
    int mark = 0;
    for (int a = 0; a <= N; a++)
        for (int b = 0; b <= N; b++) {
            mark++;
            for (int c = 0; c < a; c++)
                for (int d = 0; d < b; d++) seen[g[c][b] ^ g[a][d] ^ g[c][d]] = mark;
            int v = 0;
            while (seen[v] == mark) v++;
            g[a][b] = v;
        }
    fwrite(g, 2, sizeof g / 2, stdout);
}
