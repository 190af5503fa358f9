import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { Problem } from "../../../src/contract/problem.ts";
import { type Desk, openDesk, type Wire } from "../../support/operations.ts";
import { type Receiver, receiver } from "../../support/receiver.ts";

let desk: Desk;
let target: Receiver;
beforeAll(async () => {
  desk = await openDesk();
});
afterAll(() => desk.close());
beforeEach(async () => {
  target = await receiver();
});
afterEach(() => target.close());

const create = (body: object = {}): Promise<Wire<"createWebhook">> =>
  desk.ask("createWebhook", { body: { name: "Kitchen", url: target.url, event_types: ["event_created"], ...body } });

async function refusal(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => new Error("it was not refused"),
    (reason: unknown) => reason as Error,
  );
  return error instanceof Problem ? `${error.kind}: ${error.message}` : String(error);
}

describe("webhook authentication", () => {
  const url = (path: string, host = "127.0.0.1") => `${target.url.replace("127.0.0.1", host).replace(/\/$/, "")}${path}`;
  const tryOut = (id: string) => desk.ask("testWebhook", { params: { id }, body: { event_type: "event_created" } });
  const move = (id: string, body: object) => desk.ask("updateWebhook", { params: { id }, body });
  const authorizations = () => target.received.map(({ headers }) => headers["authorization"]);

  test("it goes to no other host, port or path until it is set again", async () => {
    const { id } = await create({ url: url("/alarm"), auth: { type: "bearer", token: "t" } });
    expect(await move(id, { url: url("/alarm?sound=low") })).toMatchObject({ url: url("/alarm?sound=low") });
    expect(await tryOut(id)).toMatchObject({ success: true });
    for (const elsewhere of [url("/test"), url("/alarm", "localhost"), url("/alarm").replace(/:\d+/, ":9")]) {
      expect(await move(id, { url: elsewhere })).toMatchObject({ url: elsewhere });
      expect(await refusal(tryOut(id))).toContain(`was set for ${url("/alarm")}, and homesec sends it nowhere else`);
    }
    await move(id, { url: url("/x", "localhost") });
    const said = await refusal(tryOut(id));
    expect(said).toContain('homesec webhooks update "Kitchen" --auth');
    // A second change of the URL does not help either
    await move(id, { url: url("/y", "localhost") });
    expect(await refusal(tryOut(id))).toContain("sends it nowhere else");
    expect(authorizations()).toEqual(["Bearer t"]);

    await move(id, { url: url("/alarm") });
    expect(await tryOut(id)).toMatchObject({ success: true });
    await move(id, { url: url("/x", "localhost"), auth: { type: "bearer", token: "new" } });
    expect(await tryOut(id)).toMatchObject({ success: true });
    await move(id, { url: url("/z"), auth: null });
    expect(await tryOut(id)).toMatchObject({ success: true });
    expect(authorizations()).toEqual(["Bearer t", "Bearer t", "Bearer new", undefined]);
  });
});

describe("webhook secrets in answers", () => {
  test.each([
    [{ type: "bearer", token: "very-secret" }, "very-secret"],
    [{ type: "basic", username: "ada", credential: 'ge"heim 7' }, 'ge"heim 7'],
    [{ type: "header", header_name: "X-Token", header_value: "very-secret" }, "very-secret"],
  ])("a target that repeats what it receives does not show them: %j", async (auth, secret) => {
    target.answerWith(({ headers }) => ({
      status: 400,
      body: JSON.stringify({ headers, secret, link: `https://h/?token=${encodeURIComponent(secret)}`, safe: "words stay" }),
    }));
    const { id } = await create({ auth });
    const result = await desk.ask("testWebhook", { params: { id }, body: { event_type: "event_created" } });
    const text = JSON.stringify(result);
    expect(result.response_body).toContain("words stay");
    expect(result.response_body).toContain("***");
    for (const form of [
      secret,
      JSON.stringify(secret).slice(1, -1),
      encodeURIComponent(secret),
      Buffer.from(`ada:${secret}`).toString("base64"),
    ]) {
      expect(text).not.toContain(form);
    }
  });
});
