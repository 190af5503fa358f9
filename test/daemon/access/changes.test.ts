import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AccessHome, accessHome, configured } from "./home.ts";

describe("who changed what", () => {
  let home: AccessHome;
  let anna: string;
  beforeAll(async () => {
    home = await accessHome(true);
    anna = (await home.createKey({ name: "anna", role: "resident" })).api_key;
  });
  afterAll(() => home?.close());

  const changes = async (query = ""): Promise<readonly Record<string, unknown>[]> =>
    ((await home.ask(`GET /api/changes${query}`, configured)).body as { items: Record<string, unknown>[] }).items;

  it("changes: a review by a named key is listed by event, and explain names the person", async () => {
    const id = home.events["door"];
    await home.ask(`PATCH /api/events/${id}`, anna, { reviewed: true, notes: "the postman" });
    await home.ask("PATCH /api/events/bulk", anna, { events: [{ id, reviewed: false }] });
    const about = await changes(`?subject=events/${id}`);
    expect(about).toMatchObject([
      { by: "anna", role: "resident", operation: "updateEvents", subjects: [`events/${id}`], fields: ["reviewed=false"] },
      { by: "anna", role: "resident", operation: "updateEvent", subjects: [`events/${id}`], fields: ["reviewed=true", "notes"] },
    ]);
    expect(JSON.stringify(about)).not.toContain("postman");
    const { text } = await home.ask(`GET /api/events/${id}/explain`, configured);
    expect(text).toContain("anna (resident) marked it as reviewed and changed the notes.");
    expect(text).toContain("anna (resident) marked it as not reviewed.");
  });

  it("changes: a silence says who began and ended it, and its start is listed by its id", async () => {
    const { body } = await home.ask("POST /api/silences", anna, { camera_id: "yard", duration_seconds: 60, reason: "Painters" });
    const { id } = body as { id: string };
    expect(body).toMatchObject({ created_by: "anna", ended_by: null });
    const ended = await home.ask(`POST /api/silences/${id}/end`, anna);
    expect(ended.body).toMatchObject({ created_by: "anna", ended_by: "anna" });
    expect((await changes(`?subject=silences/${id}`)).map(({ operation }) => operation)).toEqual(["endSilence", "createSilence"]);
  });

  it("changes: no secret of a request is stored, and a refused request is not a change", async () => {
    const count = async (): Promise<number> => (await changes("?limit=1000")).length;
    const before = await count();
    expect((await home.ask("PATCH /api/events/987654", anna, { reviewed: true })).status).toBe(404);
    expect((await home.ask("DELETE /api/cameras/door", anna)).status).toBe(403);
    await home.ask("GET /api/events", anna);
    expect(await count()).toBe(before);
    const created = await home.createKey({ name: "bob", role: "guest", camera_ids: ["door"] });
    const [newest] = await changes("?limit=1");
    expect(newest).toMatchObject({ operation: "createKey", subjects: [`keys/${created.id}`], fields: ["name", "role", "camera_ids"] });
    expect(JSON.stringify(newest)).not.toContain("bob");
  });

  it("changes: what a transaction undoes leaves no entry", async () => {
    const [before] = await changes("?limit=1");
    expect((await home.ask("POST /api/keys", configured, { name: "bob", role: "owner" })).status).toBe(409);
    expect((await changes("?limit=1"))[0]).toEqual(before);
  });

  it("changes: wrong filters are refused, and a guest may not read them", async () => {
    const guest = (await home.createKey({ name: "guest", role: "guest", camera_ids: ["door"] })).api_key;
    expect((await home.ask("GET /api/changes", guest)).status).toBe(403);
    expect((await home.ask(`GET /api/changes?subject=${"x".repeat(301)}`, configured)).status).toBe(422);
    expect(await changes("?subject=nothing")).toEqual([]);
  });
});
