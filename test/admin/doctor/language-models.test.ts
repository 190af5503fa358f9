import { afterAll, describe, expect, it } from "vitest";
import { modelServer, type Quirks } from "../../support/model-servers.ts";
import { finds, skips, well } from "./support.ts";

describe("doctor: models of the chain", () => {
  const opened: { close(): Promise<void> }[] = [];
  afterAll(async () => {
    for (const server of opened) await server.close();
  });
  const model = async (quirks: Quirks = {}) => {
    const server = await modelServer("ollama", quirks);
    opened.push(server);
    return server.url;
  };

  it("language-model-fallback: has a conversation with the second model, and names its fault", async () => {
    expect(await skips("language-model-fallback")).toBe("LANGUAGE_MODEL_FALLBACK_URL is not set");
    const url = await model();
    expect(await well("language-model-fallback", { env: { LANGUAGE_MODEL_FALLBACK_URL: url } })).toContain("scored the example 42");
    const absent = { LANGUAGE_MODEL_FALLBACK_URL: url, LANGUAGE_MODEL_FALLBACK_NAME: "absent" };
    expect(await finds("language-model-fallback", { env: absent })).toContain("ollama pull absent");
  });

  it("model-pictures: says where pictures go, and which model does not see", async () => {
    const [seeing, blind] = [await model(), await model({ blind: 400 })];
    expect(await skips("model-pictures", { env: { LANGUAGE_MODEL_URL: seeing } })).toContain("LANGUAGE_MODEL_PICTURES=off");
    const at = (url: string, pictures: string, more: Readonly<Record<string, string>> = {}) => ({
      env: { LANGUAGE_MODEL_URL: url, LANGUAGE_MODEL_PICTURES: pictures, ...more },
    });
    expect(await well("model-pictures", at(seeing, "local"))).toContain("sees");
    expect(await finds("model-pictures", at(seeing, "local", { LANGUAGE_MODEL_FALLBACK_URL: blind }), "warning")).toMatch(
      /does not see pictures.*it refuses pictures.*homesec models probe/,
    );
    const far = "https://203.0.113.7/v1";
    expect(await well("model-pictures", at(far, "local"))).toContain("203.0.113.7 is outside of your network and gets none");
    expect(await finds("model-pictures", at(far, "anywhere"), "warning")).toMatch(
      /Pictures of events go to 203\.0\.113\.7, outside of your network.*LANGUAGE_MODEL_PICTURES=local/,
    );
  });

  it("configuration: warns when LANGUAGE_MODEL_PICTURES has no effect", async () => {
    expect(await finds("configuration", { env: { LANGUAGE_MODEL_PICTURES: "local" } }, "warning")).toContain("without LANGUAGE_MODEL_URL");
    const completion = { LANGUAGE_MODEL_PICTURES: "local", LANGUAGE_MODEL_URL: "http://127.0.0.1:1", LANGUAGE_MODEL_API: "completion" };
    expect(await finds("configuration", { env: completion }, "warning")).toContain("takes no pictures");
  });
});
