// Builds the console into `built`, which is checked in and embedded in the api. While developing, `npm run dev` serves it
// and passes calls on to an api, by default the one of `deploy/up`.
import { defineConfig } from "vite";

const api = process.env.KIMBERLY_SERVER ?? "http://127.0.0.1:7420";
// The api serves its own pages alone, so that calls must seem to come from there.
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
