"""Defects of safety code, one a line of the program: each must turn the tests named beside it red."""

from __future__ import annotations

from typing import NamedTuple


class Mutant(NamedTuple):
    """`old` stands once in `file` (below adjutant/) and becomes `new`; `tests`: of which at least one goes red."""

    name: str
    file: str
    old: str
    new: str
    tests: str


NOTICES, FILES = "tests/domain/telling/test_notices.py", "tests/store/test_files.py"
APPEND, FLUSHED, ASKING = "tests/store/test_append.py", "tests/store/test_flushed.py", "tests/judgements/test_asking.py"
MESSAGE, ACTING = "tests/domain/telling/test_message.py", "tests/domain/learning/deciding/test_acting.py"
BACKUP = "tests/system/test_backup.py"
FLOOR, ONE_BASE = "tests/laws/test_floor.py", "tests/laws/test_one_base.py"

MUTANTS = (
    # the budget
    Mutant(
        "a day without an end of notices",
        "domain/telling/budget.py",
        "        return max(0, self.maximum - self.used)\n",
        "        return self.maximum\n",
        f"{NOTICES}::test_the_checks_come_in_their_order",
    ),
    Mutant(
        "sent before the slot is counted",
        "domain/telling/notices.py",
        "            budget.take(self._files, slots)\n",
        "            slots.used += 1\n",
        f"{NOTICES}::test_the_slot_is_on_disk_before_anything_leaves",
    ),
    Mutant(
        "the record of notices does not count",
        "domain/telling/budget.py",
        "    counts, problem = [recorded], None\n",
        "    counts, problem = [0], None\n",
        f"{NOTICES}::test_a_lost_count_file_gives_no_second_budget",
    ),
    Mutant(
        "an unreadable count is none",
        "domain/telling/budget.py",
        "    used = max(maximum, *counts) if problem else max(counts)\n",
        "    used, problem = max(counts), None\n",
        f"{NOTICES}::test_a_count_file_that_is_no_integer_means_no_budget_loudly",
    ),
    Mutant(
        "a slot that carried something is given back",
        "domain/telling/notices.py",
        '        if outcome in ("sent", "unknown"):\n            self._record',
        '        if outcome in ("sent",):\n            self._record',
        f"{NOTICES}::test_an_uncertain_notice_keeps_its_slot_and_is_never_sent_again",
    ),
    Mutant(
        "a key may be sent twice",
        "domain/telling/notices.py",
        "        if notice.key in history.spent and not again:\n",
        "        if notice.key in history.spent and again:\n",
        f"{NOTICES}::test_the_checks_come_in_their_order",
    ),
    Mutant(
        "reserved before midnight, sent after it",
        "domain/telling/notices.py",
        "            if self._clock.now().date() == day:\n",
        "            if day:\n",
        f"{NOTICES}::test_a_notice_reserved_before_midnight_does_not_leave_after_it_uncounted",
    ),
    Mutant(
        "an unreadable moment is not today",
        "records/notice_log.py",
        "    except (ValueError, OverflowError):\n        return now\n",
        "    except (ValueError, OverflowError):\n        return now - timedelta(days=400)\n",
        "tests/records/test_notice_log.py::test_an_unreadable_moment_counts_against_the_day",
    ),
    # the switches
    Mutant(
        "a dangling link is no switch",
        "store/switches.py",
        "        os.lstat(path)\n    except FileNotFoundError:\n        return False\n",
        "        os.stat(path)\n    except FileNotFoundError:\n        return False\n",
        "tests/store/test_switches.py::test_any_entry_of_the_name_is_on",
    ),
    Mutant(
        "a switch that cannot be seen is off",
        "store/switches.py",
        "    except OSError:\n        return True\n    return True\n",
        "    except OSError:\n        return False\n    return True\n",
        "tests/store/test_switches.py::test_what_cannot_be_looked_at_counts_as_on",
    ),
    Mutant(
        "PAUSED does not stop a notice",
        "domain/telling/notices.py",
        '            return self._suppress(notice, "paused", self._look(notice)[1], "PAUSED is set")\n',
        "            pass\n",
        f"{NOTICES}::test_any_entry_named_paused_stops_a_notice",
    ),
    Mutant(
        "PAUSED is not looked at before sending",
        "domain/telling/notices.py",
        '                return self._settle(notice, "paused", "PAUSED was set", slots)\n',
        "                pass\n",
        f"{NOTICES}::test_paused_between_reservation_and_sending_gives_the_slot_back",
    ),
    Mutant(
        "PAUSED is not looked at between steps",
        "runner.py",
        "                app.gate()  # PAUSED may have come between two steps\n",
        "                pass\n",
        "tests/stages/test_between_steps.py",
    ),
    Mutant(
        "files are written without asking the gate",
        "store/files.py",
        "        if self.gate is not None and not record:\n",
        "        if self.gate is not None and record:\n",
        f"{FILES}::test_the_gate_is_asked_before_the_operator_s_files_and_not_before_records",
    ),
    # locks
    Mutant(
        "a lock that is never let go",
        "store/files.py",
        "            lock.release()\n",
        '            globals().setdefault("kept", []).append(lock)\n',
        "tests/store/test_locks.py::test_the_lock_is_let_go_when_its_work_fails_and_its_file_stays",
    ),
    Mutant(
        "reserved without the lock",
        "domain/telling/notices.py",
        '        with self._files.lock("notices"):\n            stop, slots',
        "        if True:\n            stop, slots",
        f"{NOTICES}::test_a_held_lock_stops_the_sending",
    ),
    Mutant(
        "appenders write to a file that was rotated away",
        "store/files.py",
        "                if disk.has_name(mine, path):\n",
        "                if mine:\n",
        f"{APPEND}::test_a_record_goes_where_the_name_leads",
    ),
    # a person's edit wins
    Mutant(
        "an edit is written over",
        "store/files.py",
        "        if found == expect:\n            return\n",
        "        if found != expect:\n            return\n",
        f"{FILES}::test_a_dry_run_refuses_what_a_wet_run_refuses",
    ),
    Mutant(
        "an edit in the last moment is written over",
        "store/files.py",
        "            check()\n            os.rename(",
        "            os.rename(",
        f"{FILES}::test_an_edit_made_while_the_new_text_is_written_wins_too",
    ),
    Mutant(
        "a move onto a name that is taken",
        "store/disk.py",
        "os.fsencode(target), RENAME_NOREPLACE) == 0",
        "os.fsencode(target), 0) == 0",
        f"{FILES}::test_move_moves_and_never_overwrites",
    ),
    # what a power cut may take
    Mutant(
        "a created name is not flushed",
        "store/files.py",
        "            os.unlink(temp)\n            disk.fsync_folder(os.path.dirname(path))\n",
        "            os.unlink(temp)\n",
        FLUSHED,
    ),
    Mutant(
        "a moved name is not flushed",
        "store/files.py",
        "            disk.fsync_folder(os.path.dirname(target))\n            if os.path.dirname(source)",
        "            if os.path.dirname(source)",
        FLUSHED,
    ),
    Mutant(
        "the name that a move leaves is not flushed",
        "store/files.py",
        "                disk.fsync_folder(os.path.dirname(source))\n",
        "                pass\n",
        FLUSHED,
    ),
    Mutant(
        "a new folder is not flushed",
        "store/disk.py",
        "        os.mkdir(path, 0o700)\n        fsync_folder(parent)\n",
        "        os.mkdir(path, 0o700)\n",
        FLUSHED,
    ),
    Mutant(
        "a name that is written anew is not flushed",
        "store/files.py",
        "            disk.fsync_folder(os.path.dirname(path)) if at is None else os.fsync(at)\n",
        "            None if at is None else os.fsync(at)\n",
        FLUSHED,
    ),
    Mutant(
        "a file is renamed before it is flushed",
        "store/files.py",
        "                os.fsync(fd)\n",
        "                pass\n",
        f"{FILES}::test_replace_flushes_exactly_twice",
    ),
    Mutant(
        "a record is acknowledged too early",
        "store/files.py",
        "                os.fdatasync(fd)\n",
        "                pass\n",
        f"{APPEND}::test_an_append_is_on_disk_before_it_is_acknowledged",
    ),
    Mutant(
        "half a record stays",
        "store/disk.py",
        "    except OSError:\n        os.ftruncate(fd, size)\n",
        "    except OSError:\n",
        f"{APPEND}::test_a_disk_that_is_full_at_any_byte_leaves_no_half_record",
    ),
    # whose word it is
    Mutant(
        "a stranger's orders become notes",
        "domain/memory/gate.py",
        '        if trust == "untrusted":\n            _refuse_orders(text)\n',
        "",
        "tests/domain/memory/test_gate.py::test_orders_of_a_stranger_are_refused_and_the_operators_own_words_are_not",
    ),
    Mutant(
        "a secret becomes a note",
        "domain/memory/gate.py",
        "        self.refuse_secrets(text)\n        if trust",
        "        if trust",
        "tests/domain/memory/test_gate.py::test_a_secret_is_refused_and_not_repeated",
    ),
    Mutant(
        "every folder is the operator's word",
        "records/registry.py",
        'Setting("trust", "untrusted", ',
        'Setting("trust", "operator", ',
        "tests/records/test_registry.py::test_entries_are_read_in_order_with_their_folders_and_defaults",
    ),
    Mutant(
        "links are followed out of a folder",
        "documents/folder.py",
        "    flags |= os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC\n",
        "    flags |= os.O_RDONLY | os.O_CLOEXEC\n",
        "tests/documents/test_folder.py::test_what_is_no_text_or_became_a_link_raises",
    ),
    # the screen and the fence
    Mutant(
        "no instruction is seen",
        "screening/screen.py",
        "    yield from _find_spoken(reading(text), text, books)\n",
        "",
        "tests/screening/test_screen.py::test_nine_of_ten_attacks_are_found",
    ),
    Mutant(
        "hidden text is not seen",
        "screening/screen.py",
        "            if reason:\n                yield number, reason\n",
        "            if not reason:\n                yield number, ''\n",
        "tests/screening/test_screen.py::test_hidden_text_is_a_hit_whatever_it_says",
    ),
    Mutant(
        "a block can be ended from inside",
        "screening/fence.py",
        "        return self._without_marker(line) if self._folded in together else line\n",
        "        return line\n",
        "tests/screening/test_fence.py::test_marker_look_alikes_are_taken_out",
    ),
    # accept
    Mutant(
        "an altered report is accepted",
        "domain/learning/acting.py",
        "if not sha or sha != held.report_sha:\n",
        "if not sha:\n",
        f"{ACTING}::test_an_altered_report_is_refused_until_the_stored_diff_is_asked_for",
    ),
    Mutant(
        "a diff that leads elsewhere is applied",
        "domain/learning/acting.py",
        "        if not plan.moved and state_of(plan.after) != (made.before_sha if back else made.after_sha):\n",
        "        if False:\n",
        f"{ACTING}::test_a_forged_line_whose_diff_does_not_lead_where_it_says_is_refused",
    ),
    Mutant(
        "an accepted one is accepted again",
        "domain/learning/acting.py",
        "    if held.status == status:\n        return\n",
        "    if held.status:\n        return\n",
        f"{ACTING}::test_a_second_accept_is_refused_and_says_when_the_first_was",
    ),
    # quiet hours and caps
    Mutant(
        "quiet hours end at midnight",
        "domain/telling/standing.py",
        "    return minute >= first or minute < last\n",
        "    return minute >= first\n",
        f"{NOTICES}::test_quiet_hours_hold_back_across_midnight_too",
    ),
    Mutant(
        "nobody looks at quiet hours",
        "domain/telling/notices.py",
        '            return "quiet_hours", slots, "quiet hours"\n',
        "            pass\n",
        f"{NOTICES}::test_the_checks_come_in_their_order",
    ),
    Mutant(
        "tokens have no end",
        "judgements/calling.py",
        "                if room is None or least <= room - self._held:\n",
        "                if room is None or least:\n",
        f"{ASKING}::test_the_tokens_of_a_run_never_exceed_its_cap",
    ),
    Mutant(
        "calls have no end",
        "judgements/calling.py",
        '                if self._calls >= self._config.whole("limits.model_calls_per_run"):\n',
        "                if self._calls < 0:\n",
        f"{ASKING}::test_model_calls_of_a_run_are_limited_repairs_included",
    ),
    Mutant(
        "a folder is read without end",
        "documents/folder.py",
        "            elif size > total:\n",
        "            elif size < 0:\n",
        "tests/documents/test_folder.py::test_the_newest_files_are_taken_where_a_cap_bites",
    ),
    # floors
    Mutant(
        "a model lowers what is certain and grave",
        "judgements/cycle.py",
        "        if each.id in self._owed and verdict != drawing.TELL:\n",
        "        if False:\n",
        f"{FLOOR}::test_what_is_grave_is_told_or_reasoned[lowers to medium-at once]",
    ),
    Mutant(
        "a model says nothing, and nobody hears",
        "judgements/cycle.py",
        "                self.drawing.judge(self.picture, each, drawing.UNJUDGED)\n",
        "                pass\n",
        f"{FLOOR}::test_what_is_grave_is_told_or_reasoned[silent-at once]",
    ),
    Mutant(
        "a model logs what is certain and grave",
        "stages/escalation.py",
        "        _keep_floor(app, decided)\n",
        "",
        f"{FLOOR}::test_what_is_grave_is_told_or_reasoned[logs-briefs]",
    ),
    Mutant(
        "a model settles, and no digest leaves",
        "domain/telling/digest.py",
        " or any(each.reason for each in ended))\n",
        ")\n",
        f"{FLOOR}::test_what_is_grave_is_told_or_reasoned[obeys the page-at once]",
    ),
    # fairness
    Mutant(
        "one folder has all the lines of a notice",
        "domain/telling/message.py",
        "taken[each.kb] < size // 2:\n",
        "taken[each.kb] < size:\n",
        f"{MESSAGE}::test_no_knowledge_base_has_more_than_half_while_two_have_something_grave",
    ),
    Mutant(
        "one folder has all the notices of a day",
        "domain/telling/notices.py",
        "            if own > min(",
        "            if own < 0 * min(",
        f"{ONE_BASE}::test_three_notices_of_one_leave_room_for_another",
    ),
    Mutant(
        "one folder fills the digest",
        "domain/telling/message.py",
        "        turns.append((taken[each.kb], each))\n",
        "        turns.append((0, each))\n",
        f"{MESSAGE}::test_a_full_knowledge_base_leaves_turns_to_others",
    ),
    Mutant(
        "what did not fit counts as told",
        "domain/telling/message.py",
        "        if named and size + len(text) + 1 > NOTICE_CHARS:\n            break\n",
        "",
        f"{MESSAGE}::test_a_notice_has_1200_characters_and_names_what_fits_and_nothing_else",
    ),
    # backups
    Mutant(
        "one look at the tree is enough",
        "store/snapshot.py",
        "        if self.copy_changed() or differ:\n",
        "        if differ & set():\n",
        f"{BACKUP}::test_what_changes_during_the_copying_is_copied_again",
    ),
    Mutant(
        "half a line of a log is kept",
        "store/snapshot.py",
        "size, offset = self._measure(fd, seen), ",
        "size, offset = seen.signature[1], ",
        f"{BACKUP}::test_a_log_is_cut_at_its_last_whole_line",
    ),
    Mutant(
        "a restored file is not compared",
        "store/archive.py",
        ".tree != manifest.tree:\n",
        ".tree == 0:\n",
        f"{BACKUP}::test_a_tar_that_does_not_fit_is_refused_whole",
    ),
    Mutant(
        "a secret lies in a backup",
        "store/snapshot.py",
        'in no backup": SECRETS.fullmatch(name),\n',
        'in no backup": not name,\n',
        f"{BACKUP}::test_no_secret_cache_or_lock_is_in_it",
    ),
)
