import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { packageRoot, programVersion } from "../../src/base/version.ts";
import { openapi } from "../../src/contract/openapi.ts";
import { routes } from "../../src/contract/routes/index.ts";

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required: boolean;
    readonly schema: Record<string, unknown>;
  }[];
  readonly requestBody?: unknown;
  readonly responses: Record<string, { readonly content?: Record<string, { readonly schema?: Record<string, unknown> }> }>;
}
const document = openapi(routes, programVersion()) as {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Record<string, unknown>> };
};
const operation = (path: string, method: string): Operation => {
  const found = document.paths[path]?.[method];
  if (!found) throw new Error(`${method} ${path} is not in the document`);
  return found;
};

describe("openapi", () => {
  it("openapi: gives the same refusal once, under a name", () => {
    const { responses } = operation("/api/cameras/{camera_id}", "delete");
    expect(responses["401"]).toEqual({ $ref: "#/components/responses/Status401" });
    expect(responses["404"]).toEqual({ $ref: expect.stringMatching(/^#\/components\/responses\/Status404(-\d+)?$/) });
    expect(JSON.stringify(document).length).toBeLessThan(700_000);
  });

  it("openapi: docs/openapi.json is up to date (UPDATE=1 writes it)", () => {
    const file = join(packageRoot(), "docs", "openapi.json");
    const text = `${JSON.stringify(document, null, 2)}\n`;
    if (process.env["UPDATE"]) writeFileSync(file, text);
    expect(readFileSync(file, "utf8")).toBe(text);
  });

  it("openapi: contains every route once", () => {
    const ids = Object.values(document.paths).flatMap((path) => Object.values(path).map(({ operationId }) => operationId));
    // the uploads of cameras are no routes
    expect(ids.toSorted()).toEqual([...Object.keys(routes), "uploadPicture", "uploadPictures"].toSorted());
  });

  it("openapi: every reference has a target", () => {
    const references = JSON.stringify(document).match(/"\$ref":"[^"]+"/g) ?? [];
    expect(references.length).toBeGreaterThan(50);
    for (const reference of references) {
      const target = reference.slice('"$ref":"#/'.length, -1).split("/");
      expect(target.reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], document)).toBeTypeOf("object");
    }
    expect(Object.keys(document.components.schemas)).toEqual(
      expect.arrayContaining(["Camera", "Event", "Detection", "Pagination", "Error", "ValidationError"]),
    );
  });

  it("openapi: declares each placeholder of a path", () => {
    for (const [path, methods] of Object.entries(document.paths)) {
      const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      for (const { parameters = [] } of Object.values(methods)) {
        expect(parameters.filter((parameter) => parameter.in === "path" && parameter.required).map(({ name }) => name)).toEqual(names);
      }
    }
  });

  it("openapi: describes parameters by meaning, with bounds and defaults", () => {
    const parameters = Object.fromEntries(
      (operation("/api/events", "get").parameters ?? []).map((parameter) => [parameter.name, parameter]),
    );
    expect(parameters["limit"]).toMatchObject({ required: false, schema: { type: "integer", minimum: 1, maximum: 1000, default: 50 } });
    expect(parameters["risk_level"]?.schema).toMatchObject({ type: "array", items: { enum: ["low", "medium", "high", "critical"] } });
    expect(parameters["start_date"]?.schema).toMatchObject({ type: "string" });
    expect(parameters["offset"]).toMatchObject({ deprecated: true });
  });

  it("openapi: describes replies as they are sent", () => {
    expect(document.components.schemas["Camera"]).toMatchObject({
      type: "object",
      properties: { created_at: { type: "string", format: "date-time" }, status: { enum: ["unknown", "online", "offline", "error"] } },
    });
    expect(operation("/api/cameras", "post").responses["201"]?.content?.["application/json"]?.schema).toEqual({
      $ref: "#/components/schemas/Camera",
    });
  });

  it("openapi: lists exactly the possible statuses", () => {
    const statuses = (path: string, method: string) => Object.keys(operation(path, method).responses).join(" ");
    expect(statuses("/health", "get")).toBe("200 403 500");
    expect(statuses("/api/cameras", "post")).toBe("201 400 401 403 409 413 415 422 429 500 503");
    expect(statuses("/api/cameras/{camera_id}", "get")).toBe("200 401 403 404 429 500 503");
    expect(statuses("/api/cameras/{camera_id}", "delete")).toBe("204 401 403 404 409 429 500 503");
    expect(statuses("/api/detections/{detection_id}/image", "get")).toBe("200 304 401 403 404 422 429 500 503");
    expect(statuses("/ingest/{camera_id}", "post")).toBe("201 202 400 401 403 404 409 413 415 429 500 503");
    expect(statuses("/openapi.json", "get")).toBe("200 304 401 403 429 500 503");
    expect(Object.keys(operation("/api/detections/{detection_id}/thumbnail", "get").responses["200"]?.content ?? {})).toEqual([
      "image/jpeg",
    ]);
  });
});
