import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Downloads an exact version of an npm package, unpacks it and calls `use` with its folder, which is gone afterwards. Runs none of its
 * scripts. Throws an error if its content is not the one with this checksum.
 */
export async function withPackage({ name, version, integrity }, use) {
  const place = mkdtempSync(join(tmpdir(), "homesec-model-"));
  try {
    const file = execFileSync("npm", ["pack", `${name}@${version}`, "--ignore-scripts", "--silent"], {
      cwd: place,
      encoding: "utf8",
    }).trim();
    const [algorithm, expected] = integrity.split(/-(.*)/s);
    const found = createHash(algorithm)
      .update(readFileSync(join(place, file)))
      .digest("base64");
    if (found !== expected) throw new Error(`${name} ${version} has the checksum ${algorithm}-${found}, not ${integrity}: do not use it`);
    execFileSync("tar", ["-xzf", file], { cwd: place });
    await use(join(place, "package"));
  } finally {
    rmSync(place, { recursive: true });
  }
}
