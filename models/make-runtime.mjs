// node models/make-runtime.mjs: puts the part of onnxruntime-web that homesec uses into models/runtime (models/NOTICE.md).
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rolldown } from "rolldown";
import { withPackage } from "./make/npm-package.mjs";

const version = "1.30.0";
const web = {
  name: "onnxruntime-web",
  version,
  integrity: "sha512-q0y+JrrtukXSzsBWEMccVfqX25LRmosXHF+CaRJmg8pZClzcV7svNc4rKY3jL02Vb7QmRMDs1SigqR4CXAfKYQ==",
};
const common = {
  name: "onnxruntime-common",
  version,
  integrity: "sha512-7fdVWjAID1dVhH/G8qK3APARunV4VkBFoCQAP7qp4Wkab0mrorvmc+sqiT+mKXOzDqdjN5j+/Z9nb4gzNPWcyA==",
};
const target = join(import.meta.dirname, "runtime");

const place = mkdtempSync(join(tmpdir(), "homesec-runtime-"));
try {
  mkdirSync(target, { recursive: true });
  for (const part of [web, common]) {
    await withPackage(part, (folder) => cpSync(folder, join(place, "node_modules", part.name), { recursive: true }));
  }
  // The loader and the WebAssembly for processors with SIMD and threads, unchanged. The package has three larger variants for graphics cards.
  for (const name of ["ort-wasm-simd-threaded.mjs", "ort-wasm-simd-threaded.wasm"]) {
    copyFileSync(join(place, "node_modules", web.name, "dist", name), join(target, name));
  }
  // Its interface and the package that this imports, in one file.
  const input = join(place, "entry.mjs");
  writeFileSync(input, `export { env, InferenceSession, Tensor } from "${web.name}";\n`);
  const bundle = await rolldown({ input, cwd: place, platform: "node" });
  const banner = `// Over 400 lines: made by models/make-runtime.mjs from ${web.name} ${version}.
/*! Copyright (c) Microsoft Corporation, MIT License; see models/NOTICE.md */`;
  await bundle.write({ file: join(target, "ort.mjs"), format: "esm", banner });
} finally {
  rmSync(place, { recursive: true });
}
