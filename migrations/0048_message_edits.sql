-- Messages on phones that are changed after their alert was acknowledged or dismissed: they lose their buttons and say who did it.
create table message_edits (
  -- once: a message is changed one time
  notification_id uuid primary key references notifications (notification_id) on delete cascade,
  created_at timestamptz not null,
  -- null: not done yet
  finished_at timestamptz,
  -- what the service answered, or why homesec stopped retrying
  answer text
);

-- While a person looks for the chat of a bot, its presses are not read: Telegram gives its messages to one program.
alter table answer_sources add column paused_until timestamptz;
