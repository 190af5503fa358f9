-- One login of a recorder for several cameras: which camera gets a mail, by its subject, sender or text. The first rule that matches decides.

create table mail_rules (
  -- the camera of the login
  login_camera_id text not null,
  protocol text not null default 'mail' check (protocol = 'mail'),
  position integer not null,
  field text not null check (field in ('subject', 'sender', 'text')),
  pattern text not null,
  -- the camera that gets the mail
  camera_id text not null references cameras,
  primary key (login_camera_id, position),
  foreign key (login_camera_id, protocol) references camera_logins (camera_id, protocol) on delete cascade
);

-- With rules: the camera that gets a mail that no rule matches; without one, the mail is refused.
alter table camera_logins add column unmatched_camera_id text references cameras;
