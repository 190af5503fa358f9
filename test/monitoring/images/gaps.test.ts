import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Desk, openDesk } from "../../support/operations.ts";

const minute = 60_000;
const dayStart = Date.parse("2026-02-20T00:00:00Z");
const at = (minutes: number): string => new Date(dayStart + minutes * minute).toISOString();

describe("gaps between pictures", () => {
  let desk: Desk;
  /** Stores pictures of a camera, one for each minute of these. */
  const upload = (camera: string, minutes: readonly number[], reason: string | null = null) =>
    desk.db.query(
      (sql) => sql`
        insert into images (camera_id, path, size_bytes, modified_ns, found_by, found_at, taken_at, status, reason)
        select ${camera}, ${reason ?? ""} || '/p' || n.at || '.jpg', 1, 1, 'watch', n.at::timestamptz, n.at::timestamptz, 'skipped', ${reason}
        from unnest(${minutes.map(at)}::text[]) n (at)
      `,
    );
  const every = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);
  const gaps = async (query: string) => (await desk.ask("listPictureGaps", { query })).cameras;
  beforeAll(async () => {
    desk = await openDesk();
    await desk.db.query(
      (sql) => sql`
        insert into cameras (camera_id, name, folder_path, deleted_at)
        values ('door', 'Front door', '/door', null), ('yard', 'Yard', '/yard', null), ('new', 'New', '/new', null),
          ('old', 'Old', '/old', now())
      `,
    );
    // a picture a minute, with 40 minutes without any over midnight and three hours in the afternoon
    await upload("door", [...every(-600, -20), ...every(20, 900), ...every(1080, 1500)]);
    // a second name of a picture is not a picture
    await upload("door", every(900, 1080), "moved");
    // a camera that uploads on motion
    await upload("yard", [-900, -880, 30, 200, 201, 950, 1700]);
  });
  afterAll(() => desk.close());

  it("gaps: are longer than the rhythm of the camera allows, and are cut at the range", async () => {
    const [door] = (await gaps("start_date=2026-02-20&end_date=2026-02-20")).filter(({ camera_id }) => camera_id === "door");
    expect(door).toEqual({
      camera_id: "door",
      camera_name: "Front door",
      recorded_since: at(-600),
      picture_count: 880 + 360,
      usual_gap_seconds: 60,
      limit_seconds: 300,
      gaps: [
        { started_at: at(0), ended_at: at(20), ongoing: false },
        { started_at: at(899), ended_at: at(1080), ongoing: false },
      ],
    });
  });

  it("gaps: end now and are ongoing when no picture has come since", async () => {
    const [door] = await gaps("start_date=2026-02-21&end_date=2026-02-22&camera_id=door");
    expect(door?.gaps).toEqual([{ started_at: at(1499), ended_at: "2026-02-22T23:59:59.999Z", ongoing: true }]);
  });

  it("gaps: a camera that uploads on motion has none within a day, and one without pictures has none at all", async () => {
    const cameras = await gaps("start_date=2026-02-20&end_date=2026-02-20");
    expect(
      cameras.map(({ camera_id, gaps, usual_gap_seconds, recorded_since }) => [camera_id, gaps, usual_gap_seconds, recorded_since]),
    ).toEqual([
      ["door", expect.any(Array), 60, at(-600)],
      ["new", [], null, null],
      ["yard", [], null, at(-900)],
    ]);
  });

  it("gaps: a range that runs backwards or is too long is refused with the reason", async () => {
    await expect(gaps("start_date=2026-03-02&end_date=2026-03-01")).rejects.toThrow(/lies after end_date .*; exchange them/);
    await expect(gaps("start_date=2026-03-01&end_date=2026-04-01")).rejects.toThrow("the range has 32 days; ask for at most 31");
  });
});
