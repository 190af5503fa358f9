import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { defineConfig, type Plugin } from "vite";
import { programVersion } from "../../src/base/version.ts";
import { openapi } from "../../src/contract/openapi.ts";
import { routes } from "../../src/contract/routes/index.ts";
import { compressed } from "../compressed.ts";

const outDir = join(import.meta.dirname, "../../dist/reference");

/** Writes the notices that the licences of Swagger UI and the libraries inside it ask for. */
function notices(): Plugin {
  const require = createRequire(import.meta.url);
  const files = ["NOTICE", "LICENSE", "swagger-ui-es-bundle.js.LICENSE.txt"];
  return {
    name: "notices",
    generateBundle() {
      const texts = files.map((name) => readFileSync(require.resolve(`swagger-ui-dist/${name}`), "utf8"));
      this.emitFile({ type: "asset", fileName: "licences.md", source: `# Swagger UI\n\n${texts.join("\n\n")}` });
    },
  };
}

/** Writes the description of the API, so that a daemon need not make and compress it. */
function description(): Plugin {
  return {
    name: "description",
    generateBundle() {
      this.emitFile({ type: "asset", fileName: "openapi.json", source: JSON.stringify(openapi(routes, programVersion())) });
    },
  };
}

export default defineConfig({
  root: import.meta.dirname,
  // behind a proxy with a path, `docs/...` is below that path too
  base: "./",
  // without Brotli, which browsers accept only over TLS: a second copy would be 0.4 MB
  plugins: [notices(), description(), compressed(outDir, ["gz"])],
  build: {
    outDir,
    assetsDir: "docs",
    emptyOutDir: true,
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // Swagger UI is one file
    chunkSizeWarningLimit: 2_000,
  },
});
