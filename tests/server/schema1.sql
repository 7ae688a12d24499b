-- A database as version 1 of the schema kept it: a mark, mentions, a recall, a
-- takedown, a purge, who left, who came back, receipts off. It stays as it is.
BEGIN TRANSACTION;
CREATE TABLE conversations (conv TEXT PRIMARY KEY, kind INTEGER NOT NULL, flags
  INTEGER NOT NULL, last_seq INTEGER NOT NULL, floor INTEGER NOT NULL, version
  INTEGER NOT NULL, updated_at INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO conversations VALUES('g',1,0,9,1,22,1733000841580);
INSERT INTO conversations VALUES('h',2,1,1,0,28,1733000841615);
CREATE TABLE members (conv TEXT NOT NULL, user TEXT NOT NULL, role INTEGER NOT
  NULL, epoch INTEGER NOT NULL, seq INTEGER NOT NULL, high INTEGER NOT NULL,
  marked_at INTEGER NOT NULL, join_seq INTEGER NOT NULL, leave_seq INTEGER NOT
  NULL, receipt INTEGER NOT NULL, delivered INTEGER NOT NULL, cuts TEXT NOT
  NULL, past TEXT NOT NULL, settled INTEGER NOT NULL, mentions TEXT NOT NULL,
  muted INTEGER NOT NULL, pinned INTEGER NOT NULL, removed INTEGER NOT NULL,
  version INTEGER NOT NULL, PRIMARY KEY (conv, user)) WITHOUT ROWID;
INSERT INTO members VALUES('g','ann',1,0,0,0,0,1,9007199254740991,0,0,'','',0,'',0,0,0,2);
INSERT INTO members VALUES('g','bob',0,1,2,6,12,1,9007199254740991,6,6,'','',6,'',0,0,0,12);
INSERT INTO members VALUES('g','cem',0,1,9,9,0,9,9007199254740991,8,8,'p9-','1-7:3:3 p4-',9,'',0,0,0,18);
INSERT INTO members VALUES('h','ann',1,0,0,0,0,1,9007199254740991,0,0,'','',0,'',0,0,0,24);
INSERT INTO members VALUES('h','bob',0,0,0,0,0,1,0,0,0,'','',0,'',1,0,0,27);
CREATE TABLE messages (conv TEXT NOT NULL, seq INTEGER NOT NULL, version INTEGER
  NOT NULL, sender TEXT NOT NULL, kind INTEGER NOT NULL, state INTEGER NOT NULL,
  target INTEGER NOT NULL, mentions TEXT, sent_at INTEGER NOT NULL, body TEXT
  NOT NULL, PRIMARY KEY (conv, seq)) WITHOUT ROWID;
INSERT INTO messages VALUES('g',2,6,'ann',0,2,0,NULL,1733000841550,'');
INSERT INTO messages VALUES('g',3,7,'ann',0,4,0,NULL,1733000841554,'');
INSERT INTO messages VALUES('g',4,8,'bob',0,0,0,'@ann',1733000841558,'b0');
INSERT INTO messages VALUES('g',5,9,'ann',0,0,0,'*',1733000841566,'a3');
INSERT INTO messages VALUES('g',6,10,'ann',2,1,2,NULL,1733000841567,'');
INSERT INTO messages VALUES('g',7,13,'ann',0,0,0,'@bob',1733000841580,'a5');
INSERT INTO messages VALUES('g',8,16,'ann',1,1,0,NULL,1733000841589,'remove');
INSERT INTO messages VALUES('g',9,17,'ann',1,1,0,NULL,1733000841594,'add');
INSERT INTO messages VALUES('h',1,28,'bob',1,1,0,NULL,1733000841625,'leave');
CREATE TABLE ops (user TEXT NOT NULL, op TEXT NOT NULL, of TEXT NOT NULL, conv
  TEXT NOT NULL, code TEXT NOT NULL, seq INTEGER NOT NULL, at INTEGER NOT NULL,
  PRIMARY KEY (user, op)) WITHOUT ROWID;
INSERT INTO ops VALUES('ann','a0','send','g','',1,1733000841538);
INSERT INTO ops VALUES('ann','a1','send','g','',2,1733000841550);
INSERT INTO ops VALUES('ann','a2','send','g','',3,1733000841554);
INSERT INTO ops VALUES('ann','a3','send','g','',5,1733000841566);
INSERT INTO ops VALUES('ann','a4','send','g','',6,1733000841567);
INSERT INTO ops VALUES('ann','a5','send','g','',7,1733000841580);
INSERT INTO ops VALUES('ann','c1','create','g','',0,1733000841524);
INSERT INTO ops VALUES('ann','c2','create','h','',0,1733000841615);
INSERT INTO ops VALUES('ann','p1','admin','g','',0,1733000841614);
INSERT INTO ops VALUES('ann','r1','remove','g','',0,1733000841589);
INSERT INTO ops VALUES('ann','r2','add','g','',0,1733000841594);
INSERT INTO ops VALUES('ann','t1','admin','g','',0,1733000841603);
INSERT INTO ops VALUES('bob','b0','send','g','',4,1733000841558);
INSERT INTO ops VALUES('bob','l1','leave','h','',0,1733000841625);
INSERT INTO ops VALUES('bob','u1','mark_unread','g','',0,1733000841578);
CREATE TABLE root (incarnation TEXT NOT NULL, version INTEGER NOT NULL);
INSERT INTO root VALUES('b1',28);
CREATE TABLE users (user TEXT PRIMARY KEY, receipts INTEGER NOT NULL, disabled
  INTEGER NOT NULL, receipts_version INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO users VALUES('cem',0,0,19);
CREATE INDEX members_of ON members (user);
CREATE INDEX messages_from ON messages (conv, sender, seq);
CREATE INDEX messages_uncountable ON messages (conv, seq) WHERE state <> 0;
CREATE INDEX messages_mentions ON messages (conv, seq) WHERE mentions IS NOT
  NULL;
CREATE INDEX ops_at ON ops (at) WHERE of <> 'mark_unread';
COMMIT;
PRAGMA user_version = 1;
