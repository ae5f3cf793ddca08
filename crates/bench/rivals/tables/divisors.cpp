// Take a divisor of the heap, but not all of it.
#include <cstdint>
#include <cstdio>
#include <vector>
int main() {
    const int N = 1000000;
    std::vector<uint16_t> g(N + 1);
    std::vector<int> seen(4096, -1);
    for (int n = 0; n <= N; n++) {
        for (int d = 1; d * d <= n; d++)
            if (n % d == 0) {
                if (d < n) seen[g[n - d]] = n;
                if (d > 1) seen[g[n - n / d]] = n;
            }
        int v = 0;
        while (seen[v] == n) v++;
        g[n] = v;
    }
    fwrite(g.data(), 2, g.size(), stdout);
}
