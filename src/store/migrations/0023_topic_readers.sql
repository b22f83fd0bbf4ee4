CREATE TABLE "topic_readers" (
	"network" text PRIMARY KEY NOT NULL,
	"gateway_id" uuid NOT NULL,
	"term" bigint NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
