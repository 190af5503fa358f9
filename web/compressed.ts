import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import type { Plugin } from "vite";

const encoders = {
  br: (bytes: Buffer) => brotliCompressSync(bytes),
  gz: (bytes: Buffer) => gzipSync(bytes, { level: 9 }),
} as const;

/** Replaces texts by compressed copies: the daemon compresses nothing, and the package stays small. */
export function compressed(folder: string, endings: readonly (keyof typeof encoders)[]): Plugin {
  return {
    name: "compressed",
    closeBundle: () => {
      // a failed build wrote nothing, and says why after this
      if (!existsSync(folder)) return;
      for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
        if (!/\.(?:js|css|html|json|svg|webmanifest)$/.test(name)) continue;
        const path = join(folder, name);
        for (const ending of endings) writeFileSync(`${path}.${ending}`, encoders[ending](readFileSync(path)));
        rmSync(path);
      }
    },
  };
}
