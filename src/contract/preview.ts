import { z } from "zod";

/**
 * Fields of a record about its picture. They are optional, because messages and replies of older versions do not have them. `what` says
 * whose preview it is: "of its picture".
 */
export const pictureFields = (what: string) => ({
  preview_url: z
    .string()
    .nullable()
    .optional()
    .meta({
      description: `URL path of a small WebP ${what}; it changes when the picture does, so that a browser may keep it. Null without one`,
    }),
  blur_hash: z
    .string()
    .nullable()
    .optional()
    .meta({ description: `ThumbHash ${what} in base64, to show until the picture arrives; null until someone has seen the preview` }),
});

/** A box in fractions of a picture, 0 to 1, so that it fits a copy of any size. */
const Fraction = (edge: string) => z.number().meta({ description: `${edge} as a fraction of the picture, 0 to 1` });

/** The same with the box of the detection. */
export const boxedPictureFields = (what: string) => ({
  ...pictureFields(what),
  preview_box: z
    .object({ x: Fraction("Left edge"), y: Fraction("Top edge"), width: Fraction("Width"), height: Fraction("Height") })
    .nullable()
    .optional()
    .meta({
      description:
        "Box of the detection, for drawing it over the preview; null without a box, and while the size of the picture is unknown",
    }),
});

/** The version in the address of a preview. */
export const VersionText = z.string().meta({
  description:
    "Version in the `preview_url`. With the current one, a browser keeps the picture for a year; otherwise it asks again each time",
});
