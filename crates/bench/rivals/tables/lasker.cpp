// Lasker's Nim: take any number, or split the heap.
#include <cstdint>
#include <cstdio>
#include <vector>
int main() {
    const int N = 10000;
    std::vector<uint16_t> g(N + 1);
    std::vector<int> seen(32768, -1);
    for (int n = 0; n <= N; n++) {
        for (int k = 1; k <= n; k++) seen[g[n - k]] = n;
        for (int k = 1; 2 * k <= n; k++) seen[g[k] ^ g[n - k]] = n;
        int v = 0;
        while (seen[v] == n) v++;
        g[n] = v;
    }
    fwrite(g.data(), 2, g.size(), stdout);
}
