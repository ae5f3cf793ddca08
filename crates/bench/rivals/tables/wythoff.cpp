// Wythoff's game by the textbook: every option of every position.
#include <cstdint>
#include <cstdio>
#include <vector>
int main() {
    const int N = 1000;
    std::vector<uint16_t> g((N + 1) * (N + 1));
    std::vector<int> seen(4 * N + 4, -1);
    for (int a = 0; a <= N; a++)
        for (int b = 0; b <= N; b++) {
            const int now = a * (N + 1) + b;
            for (int k = 1; k <= a; k++) seen[g[now - k * (N + 1)]] = now;
            for (int k = 1; k <= b; k++) seen[g[now - k]] = now;
            for (int k = 1; k <= a && k <= b; k++) seen[g[now - k * (N + 2)]] = now;
            int v = 0;
            while (seen[v] == now) v++;
            g[now] = v;
        }
    fwrite(g.data(), 2, g.size(), stdout);
}
