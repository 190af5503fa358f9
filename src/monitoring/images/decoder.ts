import sharp from "sharp";

// The other loaders of libvips are for files that no camera sends, and each of them is code that a hostile file could reach. Of SVG only
// what lies in memory is read: the boxes that we draw ourselves.
sharp.block({ operation: ["VipsForeignLoad"] });
sharp.unblock({ operation: ["VipsForeignLoadJpeg", "VipsForeignLoadPng", "VipsForeignLoadWebp", "VipsForeignLoadSvgBuffer"] });

/**
 * sharp as the daemon uses it: of files it decodes JPEG, PNG and WebP, and nothing else. It needs 17 MB: to be imported with the first
 * picture that is decoded, so that a daemon that waits for one does without.
 */
export { sharp };
