import { notFound } from "../../contract/problem.ts";
import type { Sql } from "../../platform/database/database.ts";
import { findImages, type Image } from "./ledger-repository.ts";

/** Returns a ledger entry. Throws `Problem("not_found")` naming its id. */
export async function requireImage(sql: Sql, id: number): Promise<Image> {
  const [image] = await findImages(sql, [id]);
  if (!image) throw notFound("Image", id, "old entries are forgotten when their files are gone");
  return image;
}
