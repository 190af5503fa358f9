import { chmodSync, rmSync } from "node:fs";
import { join } from "node:path";
import { build } from "vite";

/*
 * `npm run build`. The programs, the web page and the reference of the API do not need each other, so one process builds them at once:
 * it loads Vite once, and uses both cores of a small machine. `npm ci` waits for this.
 */
const root = join(import.meta.dirname, "..");
rmSync(join(root, "dist"), { recursive: true, force: true });

const parts = ["bin/vite.config.ts", "web/vite.config.ts", "web/reference/vite.config.ts"];
await Promise.all(parts.map((path) => build({ configFile: join(root, path), logLevel: "warn" })));
chmodSync(join(root, "dist/bin/homesec.js"), 0o755);
