import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { copiesOf, environmentOf, reachesTheBuild, readDockerfile, type Stage, textsOf } from "../dockerfile.ts";
import { filesBelow, manifest, read, root } from "../project.ts";
import { type Person, tryOut } from "./try-out.ts";

// below /tmp itself, where any user may pass
const place = mkdtempSync(join(tmpdir(), "homesec-package-"));
chmodSync(place, 0o755);
afterAll(() => rmSync(place, { recursive: true, force: true }));

const isRoot = process.getuid?.() === 0;
/** Who tries it: whoever runs this, and where that is root also the user who has least. */
const people: readonly Person[] = [
  { name: "whoever runs this", ids: undefined },
  ...(isRoot ? [{ name: "nobody", ids: { uid: 65_534, gid: 65_534 } }] : []),
];
// the packages come from where npm of this machine has them from; of the rest of its settings nothing is used
const registry = execFileSync("npm", ["config", "get", "registry"], { cwd: root, encoding: "utf8" }).trim();

/** Runs npm with a home of its own. */
function npm(home: string, ...args: readonly string[]): string {
  mkdirSync(home, { recursive: true });
  const env = { PATH: process.env["PATH"] ?? "", HOME: home, npm_config_registry: registry };
  return execFileSync("npm", [...args, "--no-audit", "--no-fund"], {
    cwd: home,
    env,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
}

describe.each([
  ["without install scripts", ["--ignore-scripts"]],
  ["with install scripts", []],
])("the package, installed globally %s", (name, options) => {
  const own = join(place, name.replaceAll(" ", "-"));
  const prefix = join(own, "prefix");
  beforeAll(() => {
    const home = join(own, "home-of-npm");
    mkdirSync(home, { recursive: true });
    // out of a copy: packing builds anew
    const clone = join(own, "clone");
    execFileSync("git", ["clone", "--quiet", "--no-hardlinks", root, clone]);
    for (const folder of ["bin", "commands", "daemon", "src", "docs", "migrations", "packaging", "demo", "mail-templates"]) {
      rmSync(join(clone, folder), { recursive: true });
      cpSync(join(root, folder), join(clone, folder), { recursive: true });
    }
    for (const file of ["package.json", "package-lock.json", "tsconfig.build.json", "CHANGELOG.md", "README.md"])
      cpSync(join(root, file), join(clone, file));
    cpSync(join(root, "node_modules"), join(clone, "node_modules"), { recursive: true, verbatimSymlinks: true });
    execFileSync("npm", ["pack", "--pack-destination", own], { cwd: clone, stdio: "ignore" });
    rmSync(clone, { recursive: true });
    const [tarball] = readdirSync(own).filter((file) => file.endsWith(".tgz"));
    npm(home, "install", "--global", "--prefix", prefix, ...options, join(own, tarball ?? ""));
  });

  it("has no package in it that only development needs", () => {
    const installed = readdirSync(join(prefix, "lib/node_modules/homesec/node_modules"));
    expect(installed.filter((one) => ["typescript", "vitest", "@biomejs", "execa", "fast-check", "smtp-server"].includes(one))).toEqual([]);
    const megabytes = Number(execFileSync("du", ["-sm", prefix], { encoding: "utf8" }).split("\t")[0]);
    process.stdout.write(`installed ${name}: ${megabytes} MB, ${installed.length} folders of packages\n`);
    expect(megabytes).toBeLessThan(250);
  });

  it.each(people)("works for $name, in an empty home", async (person) => {
    await tryOut({ person, program: join(prefix, "bin/homesec"), folder: join(own, `as-${person.name.replaceAll(" ", "-")}`) });
  });
});

describe("the steps of the Dockerfile, in folders", () => {
  const [build, image] = readDockerfile(read("Dockerfile")) as [Stage, Stage];
  const source = join(place, "src");
  const target = join(place, "image");
  beforeAll(() => {
    const ignore = read(".dockerignore");
    const context = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], { cwd: root, encoding: "utf8" });
    for (const path of context
      .trim()
      .split("\n")
      .filter((file) => reachesTheBuild(ignore, file)))
      cpSync(join(root, path), join(source, path));
    const env = { PATH: process.env["PATH"] ?? "", HOME: join(place, "home-of-build"), npm_config_registry: registry };
    for (const text of textsOf(build, "RUN"))
      execFileSync("sh", ["-c", text], { cwd: source, env, stdio: ["ignore", "ignore", "inherit"] });
    const workdir = textsOf(build, "WORKDIR").at(-1) ?? "";
    mkdirSync(target);
    for (const { sources, target: to } of copiesOf(image)) {
      for (const path of sources) {
        const from = path.replace(workdir, source);
        cpSync(from, sources.length > 1 ? join(target, to, path.slice(workdir.length + 1)) : join(target, to), {
          recursive: true,
          verbatimSymlinks: true,
        });
      }
    }
  });

  it("make what runs as the image's user, and needs no place but its own to write to", async () => {
    const { DATA_DIR: _, CAMERA_ROOT: __, ...env } = environmentOf(image);
    const ids = isRoot ? { uid: 65_534, gid: 65_534 } : undefined;
    const entry = JSON.parse(textsOf(image, "ENTRYPOINT").at(-1) ?? "[]") as readonly string[];
    const program = (entry.at(-1) ?? "").replace(textsOf(image, "WORKDIR")[0] ?? "", target);
    await tryOut({ person: { name: "the image's user", ids }, program, folder: join(place, "as-image"), env, readOnly: true });
    expect(readdirSync(join(target, "node_modules")).includes("typescript")).toBe(false);
    expect(filesBelow("migrations").length).toBe(readdirSync(join(target, "migrations")).length);
    expect(manifest.bin.homesec).toBe("dist/bin/homesec.js");
  });
});
