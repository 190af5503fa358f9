-- The camera's own time of a picture, by EXIF or the file name; null if it has none. Arrival stays the time that events go by.
alter table images add column captured_at timestamptz;
create index images_captured on images (camera_id, taken_at desc) where captured_at is not null;

-- How to read a camera's times: the zone of its clock (null: that of the daemon) and the template of its file names.
alter table cameras add column time_zone text;
alter table cameras add column time_template text not null default 'auto';
-- How far its clock is ahead of arrival; null while unknown. Only pictures that arrived since clock_since count.
alter table cameras add column clock_offset_seconds double precision;
alter table cameras add column clock_since timestamptz;

-- Several cameras may share a folder: each takes the files that its pattern matches, and one without a pattern the others.
alter table cameras add column file_pattern text;
drop index cameras_folder_path_key;
create unique index cameras_folder_path_key on cameras (folder_path, coalesce(lower(file_pattern), ''));
