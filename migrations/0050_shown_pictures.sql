-- The detections whose pictures a language model saw in this attempt, in its order; null if it saw none.
-- No foreign keys: a detection may be deleted before its event.
alter table analysis_attempts add column shown_detection_ids bigint[];
