import { chmod, readFile, readlink, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseEnv } from "node:util";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { setInEnvFile, withVariables } from "../../../src/platform/config/env-file.ts";
import { temporaryFolder } from "../../support/temporary.ts";

describe("env file: text", () => {
  it.each([
    ["", "SMTP_HOST=a\n"],
    ["# mine\nPORT=1", "# mine\nPORT=1\nSMTP_HOST=a\n"],
    ["SMTP_HOST=old   # the provider\nPORT=1\n", "SMTP_HOST=a   # the provider\nPORT=1\n"],
    ["export SMTP_HOST = 'old # one'\n", "export SMTP_HOST=a\n"],
    ["SMTP_HOST=old#cut\n", "SMTP_HOST=a\n"],
    ["SMTP_HOST=1\r\nPORT=1\r\n", "SMTP_HOST=a\r\nPORT=1\r\n"],
    ["SMTP_HOST=first\nSMTP_HOST=last\n", "SMTP_HOST=first\nSMTP_HOST=a\n"],
    ["# SMTP_HOST=old\n", "# SMTP_HOST=old\nSMTP_HOST=a\n"],
    ["OTHER='one\nSMTP_HOST=two'\n", "OTHER='one\nSMTP_HOST=two'\nSMTP_HOST=a\n"],
    ["MY_SMTP_HOST=1\n", "MY_SMTP_HOST=1\nSMTP_HOST=a\n"],
    ["SMTP_HOST=a # same\n", "SMTP_HOST=a # same\n"],
  ])("env file: %j gets the value and keeps the rest", (before, after) => {
    expect(withVariables(before, { SMTP_HOST: "a" })).toBe(after);
  });

  it("env file: an empty text removes a value, and adds no line", () => {
    expect(withVariables("SMTP_USER=me\n", { SMTP_USER: "" })).toBe("SMTP_USER=''\n");
    expect(withVariables("PORT=1\n", { SMTP_USER: "" })).toBe("PORT=1\n");
  });

  it("env file: any value on one line is read as it was written, and all others stay", () => {
    const line = fc.string({ unit: "grapheme-ascii" }).filter((text) => !/[\r\n\0]/.test(text) && !/'.*"|".*'|`/.test(text));
    const others = fc.array(fc.tuple(fc.constantFrom("PORT", "OTHER", "SMTP_HOST"), fc.constantFrom("1", "'a # b'", '"x\ny"', "c # d")));
    fc.assert(
      fc.property(line, others, (password, lines) => {
        const before = lines.map(([name, value]) => `${name}=${value}\n# note\n`).join("");
        const after = withVariables(before, { SMTP_PASSWORD: password, SMTP_HOST: "h" });
        const wanted = { ...parseEnv(before), SMTP_HOST: "h", ...(password === "" ? {} : { SMTP_PASSWORD: password }) };
        expect({ ...parseEnv(after) }).toEqual(wanted);
        expect(withVariables(after, { SMTP_PASSWORD: password, SMTP_HOST: "h" })).toBe(after);
      }),
    );
  });

  it.each(["a\nb", "'\"`"])("env file: the value %j is refused without showing it", (value) => {
    expect(() => withVariables("", { SMTP_PASSWORD: value })).toThrow(
      /^SMTP_PASSWORD (must be one line|contains all three kinds of quotes)/,
    );
  });
});

describe("env file: on disk", () => {
  let folder: ReturnType<typeof temporaryFolder>;
  beforeEach(() => {
    folder = temporaryFolder("env-file");
  });
  afterEach(() => folder.remove());

  it("env file: is private after a change, is not touched without one, and a link to it stays", async () => {
    const [file, link] = [join(folder.path, "real"), join(folder.path, ".env")];
    await writeFile(file, "PORT=1\n");
    await chmod(file, 0o644);
    await symlink("real", link);
    await setInEnvFile(link, { SMTP_PASSWORD: "a b" });
    expect([await readFile(file, "utf8"), (await stat(file)).mode & 0o777, await readlink(link)]).toEqual([
      "PORT=1\nSMTP_PASSWORD='a b'\n",
      0o600,
      "real",
    ]);
    const { ino } = await stat(file);
    await setInEnvFile(link, { SMTP_PASSWORD: "a b" });
    expect((await stat(file)).ino).toBe(ino);
  });

  it("env file: a folder that is missing is an error that names the file", async () => {
    const missing = join(folder.path, "none", ".env");
    await expect(setInEnvFile(missing, { SMTP_HOST: "a" })).rejects.toThrow(`${missing} cannot be written: its folder does not exist`);
    await expect(setInEnvFile(folder.path, { SMTP_HOST: "a" })).rejects.toThrow("cannot be read: it is a folder");
  });
});
