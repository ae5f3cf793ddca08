// Subtract a square.
#include <cstdint>
#include <cstdio>
#include <vector>
int main() {
    const int N = 1000000;
    std::vector<uint16_t> g(N + 1);
    std::vector<int> seen(4096, -1);
    for (int n = 0; n <= N; n++) {
        for (int k = 1; k * k <= n; k++) seen[g[n - k * k]] = n;
        int v = 0;
        while (seen[v] == n) v++;
        g[n] = v;
    }
    fwrite(g.data(), 2, g.size(), stdout);
}
