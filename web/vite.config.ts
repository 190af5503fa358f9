import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import tailwind from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";
import { compressed } from "./compressed.ts";
import { contractParts, hasSideEffects } from "./contract-parts.ts";
import { withoutJsonSchemas } from "./without-descriptions.ts";

/** Writes the list of the files that a device keeps, for the service worker. */
function fileList(folder: string): Plugin {
  return {
    name: "file-list",
    writeBundle: () => {
      const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => `/${name.replaceAll("\\", "/")}`);
      const files = new Set(names.map((name) => name.replace(/\.(?:br|gz)$/, "")));
      const kept = [...files].filter((name) => /^\/(?:assets\/.*\.(?:js|css)|before\.js|icon.*|manifest\.webmanifest)$/.test(name));
      writeFileSync(join(folder, "files.json"), JSON.stringify(kept.sort()));
    },
  };
}

/** What every page needs stands in one file: each one more costs a request. The rest is split by use. */
const firstFile = { name: "base", tags: ["$initial" as const], priority: 1 };

/** Parts that many of the other pages use stand in one file too. */
const sharedFile = { name: "shared", test: /[\\/](?:src[\\/]contract|lucide-react|web[\\/]parts)[\\/]/, minShareCount: 4 };

const built = join(import.meta.dirname, "../dist/web");

export default defineConfig({
  root: import.meta.dirname,
  plugins: [contractParts(), withoutJsonSchemas(), react(), tailwind(), fileList(built), compressed(built, ["br", "gz"])],
  build: {
    outDir: "../dist/web",
    emptyOutDir: true,
    target: "es2022",
    // the policy of the page allows no inline script, style or picture of its own
    assetsInlineLimit: 0,
    // the notices that the licences of the bundled libraries ask for
    license: { fileName: "licences.md" },
    modulePreload: { polyfill: false },
    rolldownOptions: { treeshake: { moduleSideEffects: hasSideEffects }, output: { codeSplitting: { groups: [firstFile, sharedFile] } } },
  },
});
