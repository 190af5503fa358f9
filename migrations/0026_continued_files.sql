-- A version of a file that goes on where an earlier one ended names the first version of it: it replaces what the earlier ones gave.
alter table images add column continues bigint;
create index images_continued on images (continues) where continues is not null;
-- Checksums of pieces of a video, four bytes each, by which a later version of the file is recognised.
alter table images add column samples bytea;
