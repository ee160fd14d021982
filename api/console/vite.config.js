// Builds the console into `built`, which is checked in and embedded in the api. During development `npm run dev` serves it
// and forwards calls to an api, by default that of `deploy/up`.
import { defineConfig } from "vite";

const api = process.env.KIMBERLY_SERVER ?? "http://127.0.0.1:7420";
// The api accepts calls only from its own origin, so the proxy sends that as the origin.
const target = { target: api, changeOrigin: true, headers: { origin: api } };

export default defineConfig(({ command }) => ({
  // Relative, so that the built files work behind a proxy that serves them under another path.
  base: command === "serve" ? "/console/" : "./",
  build: {
    outDir: "built",
    assetsDir: "assets",
    target: "es2022",
    // Fonts stay files: the content security policy has no data: for them.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 250,
  },
  server: { proxy: { "/v1": target, "/memory": target } },
}));
