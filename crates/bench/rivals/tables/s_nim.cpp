// S-Nim with 100 numbers.
#include <cstdint>
#include <cstdio>
#include <vector>
int main() {
    const int N = 1000000;
    std::vector<uint16_t> g(N + 1);
    std::vector<int> seen(4096, -1);
    std::vector<int> s;
    for (int i = 0; i < 100; i++) s.push_back(1 + i * i % 997 + i);
    for (int n = 0; n <= N; n++) {
        for (int k : s)
            if (k <= n) seen[g[n - k]] = n;
        int v = 0;
        while (seen[v] == n) v++;
        g[n] = v;
    }
    fwrite(g.data(), 2, g.size(), stdout);
}
