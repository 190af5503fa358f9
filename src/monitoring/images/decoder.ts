import sharp from "sharp";

// The other loaders of libvips are for files that no camera sends, and a hostile file could reach each of them. SVG is read from memory
// only: for the boxes that homesec draws.
sharp.block({ operation: ["VipsForeignLoad"] });
sharp.unblock({ operation: ["VipsForeignLoadJpeg", "VipsForeignLoadPng", "VipsForeignLoadWebp", "VipsForeignLoadSvgBuffer"] });

/**
 * sharp as the daemon uses it: of files it decodes JPEG, PNG and WebP, and nothing else. It needs 17 MB: to be imported with the first
 * picture that is decoded, so that a daemon that waits for one does without.
 */
export { sharp };
