-- A picture as a few blurred colours (a ThumbHash in base64, about 30 characters), which a page shows until the picture arrives. Null until
-- someone has looked at the small copy of the picture.
alter table images add column blur_hash text;
-- With the size of the picture when it is upright: the ledger has the size as stored, and no entry for detections that clients create.
alter table detections add column blur_hash text, add column picture_width integer, add column picture_height integer;
-- Of the picture that was shown last: the next one looks nearly the same.
alter table cameras add column blur_hash text;
