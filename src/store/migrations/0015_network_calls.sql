CREATE TABLE "network_calls" (
	"unit" text NOT NULL,
	"network" text NOT NULL,
	"start" timestamp (3) with time zone NOT NULL,
	"calls" bigint DEFAULT 0 NOT NULL,
	"errors" bigint DEFAULT 0 NOT NULL,
	"durations" bigint[] NOT NULL,
	CONSTRAINT "network_calls_unit_network_start_pk" PRIMARY KEY("unit","network","start"),
	CONSTRAINT "network_calls_unit" CHECK (unit in ('five_minutes', 'hour', 'day'))
);
--> statement-breakpoint
CREATE INDEX "network_calls_start" ON "network_calls" USING btree ("start");