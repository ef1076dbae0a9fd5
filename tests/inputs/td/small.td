// A few operations of StableHLO as its own definition files state them, written for the tests.
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Small_Dialect : Dialect {
  let name = "stablehlo";
  let cppNamespace = "::mlir::stablehlo";
}

class Small_Op<string mnemonic, list<Trait> traits = []> : Op<Small_Dialect, mnemonic, [Pure] # traits>;

def Small_Tensor : RankedTensorOf<[AnyFloat, AnySignlessInteger]>;
def Small_Truths : RankedTensorOf<[I1]>;

class Small_Elementwise<string mnemonic, list<Trait> traits = []>
    : Small_Op<mnemonic, [Elementwise, SameOperandsAndResultType,
                          DeclareOpInterfaceMethods<InferTypeOpInterface>] # traits> {
  let results = (outs Small_Tensor:$result);
}

def Small_AddOp : Small_Elementwise<"add", [Commutative]> {
  let summary = "Sum of two tensors";
  let arguments = (ins Small_Tensor:$lhs, Small_Tensor:$rhs);
}

def Small_ExpOp : Small_Elementwise<"exponential"> {
  let arguments = (ins Small_Tensor:$operand);
}

def Small_TransposeOp : Small_Op<"transpose", [DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let arguments = (ins Small_Tensor:$operand, DenseI64ArrayAttr:$permutation);
  let results = (outs Small_Tensor:$result);
}

def Small_ReverseOp : Small_Op<"reverse", [SameOperandsAndResultType,
                                           DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let arguments = (ins Small_Tensor:$operand, DenseI64ArrayAttr:$dimensions);
  let results = (outs Small_Tensor:$result);
}

def Small_Less : I32EnumAttrCase<"LT", 4>;
def Small_Equal : I32EnumAttrCase<"EQ", 0>;
def Small_Direction : I32EnumAttr<"ComparisonDirection", "", [Small_Equal, Small_Less]> {
  let genSpecializedAttr = 0;
  let cppNamespace = "::mlir::stablehlo";
}
def Small_DirectionAttr : EnumAttr<Small_Dialect, Small_Direction, "comparison_direction">;

def Small_CompareOp : Small_Op<"compare", [Elementwise, DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let arguments = (ins Small_Tensor:$lhs, Small_Tensor:$rhs, Small_DirectionAttr:$comparison_direction);
  let results = (outs Small_Truths:$result);
}

def Small_TokenAttr : AttrDef<Small_Dialect, "Token"> {
  let mnemonic = "token";
}

def Small_OddOp : Small_Op<"odd"> {
  let arguments = (ins Small_Tensor:$operand, Small_TokenAttr:$token);
  let results = (outs Small_Tensor:$result);
}
