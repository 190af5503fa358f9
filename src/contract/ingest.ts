import { z } from "zod";

type Json = Record<string, unknown>;

/** The answer to an upload that was stored. */
const Uploaded = z.object({
  camera_id: z.string().meta({ description: "Camera that gets the picture" }),
  image_id: z.int().nullable().meta({ description: "Id of the image; null while it is not in the ledger" }),
  path: z.string().meta({ description: "Path of the file" }),
  files: z
    .array(
      z.object({
        image_id: z.int().nullable().meta({ description: "Id of the image; null while it is not in the ledger" }),
        path: z.string().meta({ description: "Path of the file" }),
      }),
    )
    .optional()
    .meta({ description: "Every stored file, if a form had several" }),
});

const example = { camera_id: "front-door", image_id: 55830, path: "/srv/cameras/front-door/snap.jpg" };

/** The refusals of an upload by status, each with an example of its text. */
const refusals: Readonly<Record<number, readonly [description: string, detail: string]>> = {
  400: ["The body broke off, or the form cannot be read", "The form cannot be read; check how the client builds it"],
  401: [
    "The camera's password is missing or wrong",
    "Wrong password for user front-door; send it as bearer token, basic authentication, X-Camera-Token or in the path",
  ],
  403: [
    "The Host header names another machine, or another site's page sent the request",
    "This daemon does not serve the host camera.example.org; add it to ALLOWED_HOSTS if it is a name of this machine",
  ],
  404: ["The camera has no login for HTTP", 'No camera "yard" has a login for HTTP; create one, or correct the address'],
  409: [
    "The camera delivered the same bytes before, or its file pattern does not fit the name",
    "Camera front-door delivered the same bytes before, as image 55830",
  ],
  413: ["The file is larger than `RECEIVER_MAX_FILE_MB`", "The body has more than 50 MB; send less, or raise RECEIVER_MAX_FILE_MB"],
  415: [
    "The content is no picture or video that homesec reads, or it is compressed",
    "The file is no picture or video; send JPEG, PNG, WebP or a video",
  ],
  429: ["Too many uploads, in a minute or at once", "The camera sends too many files per minute; see RECEIVER_FILES_PER_MINUTE"],
  500: ["Internal error", "Internal error"],
  503: [
    "The disk is full, or the folder cannot be used now; try again after the seconds in Retry-After",
    "The disk of /srv/cameras/front-door is full; free some space",
  ],
};

/** The ways to send the password of the camera. An API key is not needed, and does not help. */
export const ingestSecurity: Json = {
  cameraBasic: { type: "http", scheme: "basic", description: "User name and password of the camera's login for HTTP" },
  cameraBearer: { type: "http", scheme: "bearer", description: "Password of the camera's login for HTTP" },
  cameraToken: { type: "apiKey", in: "header", name: "X-Camera-Token", description: "Password of the camera's login for HTTP" },
};

/**
 * Describes the uploads of cameras for the OpenAPI document. They are no routes: their bodies are files, and each camera has a login of its
 * own, so that the receiver answers them before API keys and rate limits are asked. `ErrorBody` is the schema of a refusal.
 */
export function ingestPaths(errorBody: unknown): Record<string, Json> {
  const file = { schema: { type: "string", format: "binary", description: "A picture or video" } };
  const media = ["image/jpeg", "image/png", "image/webp", "video/mp4", "application/octet-stream"];
  const bodies = Object.fromEntries(media.map((type) => [type, file]));
  const form = {
    "multipart/form-data": {
      schema: {
        type: "object",
        description: "Each picture of the form is stored, or none; its other parts do not count",
        properties: { image: { type: "string", format: "binary", description: "A picture; the name of the field does not matter" } },
      },
    },
  };
  const describe = (operationId: string, summary: string, names: readonly string[], content: Json): Json => ({
    ...{ operationId, summary, tags: ["receivers"], security: [{ cameraBasic: [] }, { cameraBearer: [] }, { cameraToken: [] }, {}] },
    parameters: names.map((name) => parameters[name]),
    requestBody: { required: true, content },
    responses: responses(errorBody),
  });
  return {
    "/ingest/{camera_id}": {
      post: describe("uploadPictures", "Upload a picture of a camera, or several as a form", ["camera_id"], { ...bodies, ...form }),
    },
    "/ingest/{camera_id}/{name}": {
      put: describe(
        "uploadPicture",
        "Upload a picture of a camera under a name; the last part may be its password",
        ["camera_id", "name"],
        bodies,
      ),
    },
  };
}

const parameters: Readonly<Record<string, Json>> = {
  camera_id: { name: "camera_id", in: "path", required: true, description: "Camera id, a slug", schema: { type: "string" } },
  name: {
    ...{ name: "name", in: "path", required: true },
    description: "Name of the file; /ingest/{camera_id}/PASSWORD/{name} is for cameras that can only set an address",
    schema: { type: "string" },
  },
};

function responses(errorBody: unknown): Json {
  const { $schema: _, ...schema } = z.toJSONSchema(Uploaded) as Json;
  const stored = (description: string, shown: Json): Json => ({
    ...{ description, headers: headers() },
    content: { "application/json": { schema, example: shown } },
  });
  const refused = Object.entries(refusals).map(([status, [description, detail]]) => [
    status,
    { description, headers: headers(Number(status)), content: { "application/json": { schema: errorBody, example: { detail } } } },
  ]);
  return {
    201: stored("The picture is stored and outlasts a power failure", example),
    202: stored("Stored durably, but not in the ledger within 2 seconds", { ...example, image_id: null }),
    ...Object.fromEntries(refused),
  };
}

function headers(status?: number): Json {
  const ref = (name: string): Json => ({ $ref: `#/components/headers/${name}` });
  return { "X-Request-ID": ref("RequestId"), ...((status === 429 || status === 503) && { "Retry-After": ref("RetryAfter") }) };
}
