-- The parts of the detector's answer that were left out, by reason, with an example: [{"reason", "count", "example"}]. Null if there are none.
alter table images add column left_out jsonb;
-- Health and doctor read the newest ones.
create index images_left_out on images (finished_at) where left_out is not null;
