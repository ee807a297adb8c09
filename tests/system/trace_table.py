"""The table of calls that the tracer intercepts against the header of each MPI that is there."""

import os
import re
import shutil
import subprocess
import sys

import product

tap = product.Tap()
table = os.path.join(product.top, "src", "trace", "calls.def")
libraries = os.path.join(os.environ["top_builddir"], ".libs")

# Local questions, and what makes data types, operations, attributes and the like: no time is lost there.
UNSEEN = re.compile(
    r"(T_|Type_|Op_|Info_|Errhandler_|Keyval_|Attr_|Status_|Pack|Unpack|Wti|Get_|Initialized|Finalized"
    r"|Add_error_|Error_|Address|Aint_|Alloc_mem|Free_mem|Buffer_|Is_thread_main|Query_thread|Topo_test|Dims_create"
    r"|DUP_FN|NULL_|.*_c2f|.*_f2c|.*f08|.*_(errhandler|attr|keyval|info|name|get_group)(_c)?$"
    r"|Cart_(coords|get|map|rank|shift)|Cartdim_get|Graph_(get|map|neighbors|neighbors_count)|Graphdims_get"
    r"|Dist_graph_neighbors|Comm_(compare|rank|size|remote_size|test_inter|get_parent)"
    r"|Group_(compare|rank|size|translate_ranks)|Win_shared_query|Reduce_local|Register_datarep|Test_cancelled"
    r"|File_get_|Open_port|Close_port|Session_get|Pcontrol_none)"
)
# Names that the expression above takes for questions, and that make something.
SEEN = {
    "Comm_dup_with_info",
    "Comm_idup_with_info",
    "Comm_set_name",
    "File_get_size",
    "File_set_info",
    "Get",
    "Get_c",
    "Get_accumulate",
    "Get_accumulate_c",
}


def in_table():
    with open(table, encoding="utf-8") as file:
        text = file.read()
    rows = re.findall(r"^(OWN|CALL|SIZED)\((?:(V[34]), )?(\w+)", text, re.M)
    return {name: (kind, since or "V3") for kind, since, name in rows}


def in_header(compiler):
    """Functions that return an error code."""
    done = subprocess.run(
        [compiler, "-E", "-P", "-include", "mpi.h", "-xc", os.devnull],
        capture_output=True,
        text=True,
        check=True,
    )
    return set(re.findall(r"\bint\s+MPI_([A-Z]\w*)\s*\(", done.stdout.replace("\n", " ")))


def exported(library):
    done = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True)
    return set(re.findall(r" T (\w+)", done.stdout))


def compare(name, compiler, library):
    rows = in_table()
    header = in_header(compiler)
    symbols = exported(library)
    wanted = {f for f in header if f in SEEN or not UNSEEN.match(f)}
    wrapped = {s[len("MPI_") :] for s in symbols if s.startswith("MPI_")}
    behind = {s[len("PMPI_") :] for s in symbols if s.startswith("PMPI_")}
    tap.empty(sorted(wrapped ^ behind), "%s: every call is so by both of its names" % name)
    tap.empty(sorted(wanted - wrapped), "%s: every call of mpi.h that may take long is intercepted" % name)
    tap.empty(sorted(wrapped - wanted), "%s: nothing else is" % name)
    tap.empty(sorted(s for s in symbols if not s.startswith(("MPI_", "PMPI_", "ompt_start_tool"))), "%s: nothing else is exported" % name)
    known = {n for n, (kind, _) in rows.items()} | {n + "_c" for n, (kind, _) in rows.items() if kind == "SIZED"}
    tap.empty(sorted(wrapped - known), "%s: every wrapper stands in the table" % name)
    late = {n for n, (_, since) in rows.items() if since == "V4"} - header
    tap.empty(
        sorted(n for n in rows if n not in header and n not in late),
        "%s: every call of the table is in mpi.h, unless it came with MPI 4" % name,
    )


def main():
    n = 0
    for name, compilers in (("openmpi", ("mpicc.openmpi", "mpicc")), ("mpich", ("mpicc.mpich", "mpicc"))):
        library = os.path.join(libraries, "libmarple-trace-%s.so" % name)
        compiler = next((c for c in compilers if shutil.which(c)), None)
        if compiler and os.path.exists(library):
            compare(name, compiler, library)
            n += 1
    if n == 0:
        print("1..0 # SKIP no tracer was built")
        return 0
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
